// Calibration of the threshold between questions that an index answers and those that it refuses.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { thresholdBetween } from './calibrate.ts';

const around = (middle: number, count = 40) =>
  Array.from({ length: count }, (_, at) => middle + (at - count / 2) / 1000);

test('the threshold lies between unrelated and answered questions, nearer to the unrelated ones', () => {
  const threshold = thresholdBetween(around(0.2), around(0.8));
  assert.ok(threshold > 0.22 && threshold < 0.5, String(threshold));
});

test('the threshold is higher if unrelated questions are more similar', () => {
  assert.ok(thresholdBetween(around(0.4), around(0.8)) > thresholdBetween(around(0.2), around(0.8)));
});

test('the threshold is in the middle if they cannot be separated, and never refuses or accepts everything', () => {
  const mixed = thresholdBetween(around(0.5), around(0.4));
  assert.ok(mixed > 0.4 && mixed < 0.55, String(mixed));
  assert.equal(thresholdBetween(around(0.95), around(0.99)), 0.6);
  assert.equal(thresholdBetween(around(-0.1), around(0.05)), 0.15);
});

test('the threshold is robust against a few outliers', () => {
  const odd = thresholdBetween([...around(0.2), 0.9], [0.05, ...around(0.8)]);
  assert.ok(Math.abs(odd - thresholdBetween(around(0.2), around(0.8))) < 0.05, String(odd));
});

test('the threshold stays within its bounds without answered questions', () => {
  const threshold = thresholdBetween(around(0.2), []);
  assert.ok(threshold >= 0.15 && threshold <= 0.6);
});
