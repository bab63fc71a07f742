"""The kinds of boards, a file each."""
