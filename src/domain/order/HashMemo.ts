/**
 * A bounded cache of hashes that orders repeat: slugs, currencies, accounts, router addresses.
 *
 * Hashing is most of the cost of an order id. An order names its chains, currencies and accounts several times, its id
 * is computed several times, and most orders share a few values. A hash depends only on its key, so caching changes
 * nothing but the time. The cache is cleared when it is full, so foreign orders cannot make it grow.
 */

const capacity = 1024
const longestKey = 160

export interface HashMemo {
  /** The cached hash of this key, or a new one that is cached. `undefined` is not cached. */
  readonly get: (key: string, hash: () => Uint8Array | undefined) => Uint8Array | undefined
}

/** An empty memo of bounded size. Hashes of long inputs are not kept. */
export const makeHashMemo = (): HashMemo => {
  const known = new Map<string, Uint8Array>()
  return {
    get: (key, hash) => {
      const remembered = known.get(key)
      if (remembered !== undefined) return remembered
      const made = hash()
      if (made === undefined || key.length > longestKey) return made
      if (known.size >= capacity) known.clear()
      known.set(key, made)
      return made
    }
  }
}
