"""The course where people are: kits for systems that grade, and a look at one's own machine."""
