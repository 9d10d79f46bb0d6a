"""From a challenge and what was returned to a verdict; no notebook, process or screen."""
