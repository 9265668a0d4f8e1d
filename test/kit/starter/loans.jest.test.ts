import { test } from '@jest/globals';
import { suite } from './suite.ts';

suite(test);
