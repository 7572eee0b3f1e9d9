// Where operations wait in browsers that have no IndexedDB: they last as long as the page.
/** @import { Operation, Outbox } from "../types.js" */

/** @returns {Outbox} */
export function memoryOutbox() {
  let operations = /** @type {Operation[]} */ ([]);
  return {
    durable: false,
    unstored: () => operations,
    all: async () => [...operations],
    add: async (...added) => {
      operations.push(...added);
    },
    remove: async (uuids) => {
      operations = operations.filter((operation) => !uuids.includes(operation.uuid));
    },
  };
}
