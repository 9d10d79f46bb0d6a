"""What authors and instructors make of the sources: editions, slides, pages, timetables."""
