from .conformance import CheckOutcome as CheckOutcome, check_engine as check_engine
