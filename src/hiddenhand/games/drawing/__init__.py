"""What the pictures of the games in this package look like; see `hiddenhand.games.scene`."""
