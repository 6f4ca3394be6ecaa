// Imported by tests of what the shipped base says: their engines read all of its layers, instead of two
// (engine/lorekeep/testing_models.py).
process.env.LOREKEEP_TEST_WHOLE_BASE = '1';
