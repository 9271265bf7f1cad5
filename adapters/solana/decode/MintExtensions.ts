/** The extensions of a mint of Token-2022, by their types. */

/** Where an extended mint stores its kind, and where its extensions begin. */
const MINT_EXTENSIONS_AT = 166

/** With a transfer fee less arrives than is sent, so no exact amount could be paid. */
export const TRANSFER_FEE_EXTENSION = 1

/**
 * Wallets and price feeds show amounts of such a token times a factor that its issuer changes, by interest (10) or by
 * hand (25), while transfers move the amounts that are stored.
 */
const SCALING_EXTENSIONS: ReadonlyArray<number> = [10, 25]

/** Their types. `data`: the mint's account. Those that its beginning lacks are left out. */
export const extensionsOf = (data: Uint8Array): ReadonlyArray<number> => {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const types: Array<number> = []
  for (let at = MINT_EXTENSIONS_AT; at + 4 <= data.length; at += 4 + view.getUint16(at + 2, true)) {
    types.push(view.getUint16(at, true))
  }
  return types
}

/** Whether amounts are shown otherwise than they are stored. */
export const isScaled = (data: Uint8Array): boolean =>
  extensionsOf(data).some((type) => SCALING_EXTENSIONS.includes(type))
