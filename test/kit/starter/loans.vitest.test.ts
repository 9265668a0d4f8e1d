import { test } from 'vitest';
import { suite } from './suite.ts';

suite(test);
