"""How every test draws its examples: the same ones each time, unless asked to look further."""

from hypothesis import settings

settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("deep", deadline=None, max_examples=2_000, print_blob=True)
settings.load_profile("ci")  # pytest --hypothesis-profile=deep overrides it
