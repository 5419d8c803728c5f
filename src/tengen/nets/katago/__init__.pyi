from .importer import import_net as import_net
from .player_profile import PlayerProfile as PlayerProfile, parse_profile as parse_profile
