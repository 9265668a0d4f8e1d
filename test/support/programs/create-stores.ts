import { openDatabase, storeIdOf } from '../../../src/infra/sqlite/database.ts';

/**
 * Creates the stores 0.db, 1.db, … in a folder, each at a moment that was agreed with others who
 * do the same, and says each one's id, or what went wrong.
 */
const [, , folder, count, start, pause] = process.argv;

for (let store = 0; store < Number(count); store++) {
  const moment = Number(start) + store * Number(pause);
  // Spinning meets the moment far more closely than a timer would.
  while (Date.now() < moment);
  console.log(create(`${folder}/${store}.db`));
}

function create(file: string): string {
  try {
    const db = openDatabase(file);
    const id = storeIdOf(db);
    db.close();
    return id;
  } catch (error) {
    return String(error);
  }
}
