/** Pure functions whose results are kept: what is in blocks is read again and again. */

const MOST_TEXTS = 10_000

/** For objects that never change. */
export const keptBy = <K extends object, V>(compute: (key: K) => V): (key: K) => V => {
  const kept = new WeakMap<K, { readonly value: V }>()
  return (key) => {
    const known = kept.get(key)
    if (known !== undefined) return known.value
    const value = compute(key)
    kept.set(key, { value })
    return value
  }
}

/** The same for text, of which a world has little: its accounts. */
export const keptByText = <V>(compute: (text: string) => V): (text: string) => V => {
  const kept = new Map<string, { readonly value: V }>()
  return (text) => {
    const known = kept.get(text)
    if (known !== undefined) return known.value
    if (kept.size >= MOST_TEXTS) kept.clear()
    const value = compute(text)
    kept.set(text, { value })
    return value
  }
}
