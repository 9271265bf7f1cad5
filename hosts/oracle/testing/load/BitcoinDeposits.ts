/**
 * An endless series of Bitcoin deposits, for load. Each is a separate transaction, because its id is computed from its
 * bytes.
 */
import { Transaction } from "bitcoinjs-lib"
import { keyOfName } from "../../../localnet/nodes/bitcoin/node/LocalKey.ts"
import { saying } from "../../../localnet/nodes/bitcoin/node/Payment.ts"

export const user = keyOfName("causeway.bench.user")
const depository = keyOfName("causeway.local.bitcoin.depository")
const note = saying(`0x${"ee".repeat(32)}`)
/** As long as a signature and a key. */
const witness = [new Uint8Array(71).fill(0x30), user.publicKey]

/** The deposit with this number: one coin, with a note and change. */
export const depositAt = (count: number): Transaction => {
  const coin = Buffer.alloc(32, 0xc0)
  coin.writeUInt32LE(count)
  const transaction = new Transaction()
  transaction.addInput(coin, 0)
  for (const [to, amount] of [[depository.script, 1_000_000n], [note.script, 0n], [user.script, 8_999_000n]] as const) {
    transaction.addOutput(to, amount)
  }
  transaction.setWitness(0, witness)
  return transaction
}
