import { test } from 'node:test';
import { suite } from './suite.ts';

suite(test);
