"""What an earlier run told, kept for as long as nothing that it rests on has changed."""
