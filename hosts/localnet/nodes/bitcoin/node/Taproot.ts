/**
 * Spends of taproot outputs by their key (BIP-341), which bcoin's rules are too old to check. A spend by a script is
 * refused, because nothing here makes one, and so are witness programs of later versions, as no node relays them.
 *
 * LocalKey.ts, which the chain loads, gives noble its hash functions.
 */
import { Transaction } from "bitcoinjs-lib"
import { schnorr } from "@noble/secp256k1"

export type Output = Transaction["outs"][number]

const OP_1 = 0x51
const OP_16 = 0x60

const isProgram = ({ script: { length, 0: version = 0, 1: pushed } }: Output): boolean =>
  version >= OP_1 && version <= OP_16 && length >= 4 && length <= 42 && pushed === length - 2

const isTaproot = (output: Output): boolean =>
  isProgram(output) && output.script[0] === OP_1 && output.script.length === 34

/** Without a byte for the kind of hash, all is signed. With one, that byte says something else. */
const isSigned = (transaction: Transaction, at: number, spent: ReadonlyArray<Output>): boolean => {
  const [signature, ...more] = transaction.ins[at]?.witness ?? []
  const key = spent[at]?.script.slice(2)
  if (signature === undefined || key === undefined || more.length > 0) return false
  const kind = signature.length === 65 ? signature[64] ?? 0 : Transaction.SIGHASH_DEFAULT
  if (signature.length < 64 || signature.length > 65 || (signature.length === 65 && kind === 0)) return false
  const hash = transaction.hashForWitnessV1(
    at,
    spent.map(({ script }) => script),
    spent.map(({ value }) => value),
    kind
  )
  return schnorr.verify(signature.slice(0, 64), hash, key)
}

/** Why a node refuses the transaction, in Core's words. `spent`: in the order of its inputs. */
export const taprootRefusal = (transaction: Transaction, spent: ReadonlyArray<Output>): string | undefined => {
  for (const [at, output] of spent.entries()) {
    if (!isProgram(output)) continue
    if (!isTaproot(output)) {
      return "non-mandatory-script-verify-flag (Witness version reserved for soft-fork upgrades)"
    }
    if (!isSigned(transaction, at, spent)) return "mandatory-script-verify-flag-failed (Invalid Schnorr signature)"
  }
  return undefined
}
