"""The hand calculation on three tokens of two dimensions, for the demos that walk through it.

A package, not a demo: `demos.kit.names` lists modules alone.
"""
