"""KataGo's JSON analysis protocol: questions in, answers out, one JSON object a line."""
