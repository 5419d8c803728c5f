"""KataGo's JSON analysis protocol: one JSON object per line in each direction."""
