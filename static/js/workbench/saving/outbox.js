// Where operations wait until the server has them: IndexedDB, or memory where that is not to be had.
/** @import { Operation, Outbox } from "../types.js" */

const DATABASE = "coindex";
const STORE = "outbox";
const PATIENCE = 3000;

/**
 * @param {string} place address of the operations, name of the user and coding: two people on one machine never mix
 * @param {string} [former] the place before a text had several codings of one coder
 * @param {IDBFactory} [factory]
 * @returns {Promise<Outbox>}
 */
export async function openOutbox(place, former, factory = globalThis.indexedDB) {
  try {
    const database = await Promise.race([open(factory), late()]);
    return durableOutbox(database, place, former);
  } catch {
    return memoryOutbox(); // private windows and locked-down profiles
  }
}

/** @returns {Promise<never>} */
function late() {
  return new Promise((_, reject) => setTimeout(() => reject(new Error("the outbox does not open")), PATIENCE));
}

/** @type {(factory: IDBFactory) => Promise<IDBDatabase>} */
function open(factory) {
  return new Promise((resolve, reject) => {
    const request = factory.open(DATABASE, 1);
    request.onupgradeneeded = () => {
      const store = request.result.createObjectStore(STORE, { keyPath: "order", autoIncrement: true });
      store.createIndex("place", "place");
      store.createIndex("uuid", "operation.uuid", { unique: true });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** @type {(database: IDBDatabase, place: string, former?: string) => Outbox} */
function durableOutbox(database, place, former) {
  /** @type {<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => { result?: T }) => Promise<T | undefined>} */
  const transact = (mode, work) => new Promise((resolve, reject) => {
    const transaction = database.transaction(STORE, mode);
    const result = work(transaction.objectStore(STORE));
    transaction.oncomplete = () => resolve(result.result);
    transaction.onabort = () => reject(transaction.error);
    transaction.onerror = () => reject(transaction.error);
  });
  const unstored = /** @type {Set<Operation>} */ (new Set());
  return {
    durable: true,
    unstored: () => [...unstored],
    all: async () => {
      const of = (/** @type {string} */ name) => transact("readonly", (store) => store.index("place").getAll(name));
      const rows = [...(former && await of(former)) || [], ...await of(place) ?? []];
      return rows.map((row) => row.operation);
    },
    add: async (...operations) => {
      operations.forEach((operation) => unstored.add(operation));
      await transact("readwrite", (store) => {
        operations.forEach((operation) => store.add({ place, operation }));
        return {};
      });
      operations.forEach((operation) => unstored.delete(operation));
    },
    remove: async (uuids) => {
      await transact("readwrite", (store) => {
        for (const uuid of uuids) {
          const found = store.index("uuid").getKey(uuid);
          found.onsuccess = () => {
            if (found.result !== undefined) {
              store.delete(found.result);
            }
          };
        }
        return {};
      });
    },
  };
}

/** For browsers that have no IndexedDB: it lasts as long as the page. @returns {Outbox} */
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
