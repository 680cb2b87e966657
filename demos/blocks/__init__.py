"""One encoder and one decoder layer on the worked example, module by module."""
