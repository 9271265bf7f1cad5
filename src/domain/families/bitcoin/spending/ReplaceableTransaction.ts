/**
 * Every transaction that is made here: of version 2, replaceable by one that pays more (BIP-125), and valid at once.
 */
import type { BitcoinTransaction } from "../BitcoinTransaction.ts"
import type { BtcOutpoint, BtcOutput } from "../evidence/BtcTransaction.ts"

const VERSION = 2
const REPLACEABLE = 0xffff_fffd

export const replaceableTransaction = (
  coins: ReadonlyArray<BtcOutpoint>,
  outputs: ReadonlyArray<BtcOutput>
): BitcoinTransaction => ({
  version: VERSION,
  inputs: coins.map(({ index, transactionId }) => ({ transactionId, index, sequence: REPLACEABLE })),
  outputs,
  lockTime: 0
})
