"""The learner's own folder: what is copied into it, kept in it, and handed in from it."""
