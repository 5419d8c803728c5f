from .importer import import_net as import_net
