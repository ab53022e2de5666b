"""Why a failure came about: reasons read from stored evidence, each with a test of it."""
