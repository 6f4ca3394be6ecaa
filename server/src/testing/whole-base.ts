// Imported by tests that depend on answers of the shipped base: their engines read all of its layers, not two
// (engine/lorekeep/testing_models.py).
process.env.LOREKEEP_TEST_WHOLE_BASE = '1';
