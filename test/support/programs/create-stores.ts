import { openDatabase } from '../../../src/infra/sqlite/database.ts';
import { storeIdOf } from '../../../src/infra/sqlite/epochs-table.ts';

/**
 * Creates the stores 0.db, 1.db, … in a folder, each at a moment agreed with concurrent copies of
 * this program, and prints the id of each, or the error.
 */
const [, , folder, count, start, pause] = process.argv;

for (let store = 0; store < Number(count); store++) {
  const moment = Number(start) + store * Number(pause);
  // Busy-waiting hits the moment far more precisely than a timer.
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
