"""What is said of graded work: documents, tables, pages, screens, and the commands for them."""
