/** Transactions and outputs in Core's JSON form. Amounts there are decimals of bitcoin. */
import type { Transaction } from "bitcoinjs-lib"
import type { Chain } from "../Chain.ts"
import { addressIn, spentId } from "../Ledger.ts"

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

/** A double holds whole satoshi exactly. */
export const inBitcoin = (satoshi: bigint): number => Number(satoshi) / 100_000_000

export const scriptJson = (script: Uint8Array) => {
  const address = addressIn(script)
  return { hex: hex(script), ...(address === undefined ? {} : { address }) }
}

const isCoinbase = ({ ins: [first] }: Transaction): boolean =>
  first !== undefined && first.hash.every((byte) => byte === 0)

const inputsOf = (chain: Chain, transaction: Transaction, withSpent: boolean) =>
  isCoinbase(transaction)
    ? transaction.ins.map(({ script, sequence }) => ({ coinbase: hex(script), sequence }))
    : transaction.ins.map(({ hash, index, script, sequence, witness }) => {
      const id = spentId(hash)
      const spent = withSpent ? chain.ledger.transaction(id)?.outs[index] : undefined
      const source = chain.ledger.transaction(id)
      return {
        txid: id,
        vout: index,
        scriptSig: { hex: hex(script) },
        ...(witness.length === 0 ? {} : { txinwitness: witness.map(hex) }),
        ...(spent === undefined ? {} : {
          prevout: {
            generated: source !== undefined && isCoinbase(source),
            height: chain.ledger.placeOf(id)?.height ?? 0,
            value: inBitcoin(spent.value),
            scriptPubKey: scriptJson(spent.script)
          }
        }),
        sequence
      }
    })

/** `verbosity` 1, or 2 with the spent outputs, for transactions in blocks only. */
export const transactionJson = (chain: Chain, transaction: Transaction, verbosity: number) => {
  const id = transaction.getId()
  const { ledger } = chain
  const place = chain.isWaiting(id) ? undefined : ledger.placeOf(id)
  const best = place !== undefined && ledger.isBest(place)
  return {
    txid: id,
    hash: hex(transaction.getHash(true).toReversed()),
    version: transaction.version,
    size: transaction.byteLength(),
    vsize: transaction.virtualSize(),
    weight: transaction.weight(),
    locktime: transaction.locktime,
    vin: inputsOf(chain, transaction, verbosity === 2 && place !== undefined),
    vout: transaction.outs.map(({ script, value }, n) => ({
      value: inBitcoin(value),
      n,
      scriptPubKey: scriptJson(script)
    })),
    hex: transaction.toHex(),
    ...(place === undefined ? {} : {
      blockhash: place.hash,
      // A replaced block gives no confirmations.
      confirmations: best ? ledger.tip.height - place.height + 1 : 0,
      time: place.block.timestamp,
      blocktime: place.block.timestamp
    })
  }
}
