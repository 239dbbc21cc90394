"""What a muscle is: its numbers, the families of its curves, and the kinds of its activation dynamics."""
