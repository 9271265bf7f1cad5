/**
 * A bounded memory of hashes that orders repeat: slugs, currencies, accounts, router addresses.
 *
 * Hashing is most of the cost of an order id. An order names its chains, currencies and accounts
 * more than once, its id is computed several times in its life, and most orders share a few. The
 * result is a function of the key, so remembering it changes nothing but the time; it forgets
 * everything when it is full, so foreign orders cannot make it grow.
 */

const capacity = 1024
const longestKey = 160

export interface HashMemo {
  /** The hash known by this key, or made now and remembered; `undefined` is not remembered. */
  readonly get: (key: string, hash: () => Uint8Array | undefined) => Uint8Array | undefined
}

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
