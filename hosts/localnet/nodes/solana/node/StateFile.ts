/**
 * A chain in a file, complete or absent: blocks, transactions, and the accounts that differ from litesvm's initial
 * state. Programs that litesvm includes are not stored.
 */
import { address } from "@solana/kit"
import { Effect, Option, Schema } from "effect"
import * as AtomicFile from "../../../run/state/AtomicFile.ts"
import type { LocalnetError } from "../../../run/LocalnetError.ts"
import type { Account } from "./Account.ts"
import type { Chain, Kept } from "./Chain.ts"
import { AddressText } from "./rpc/Parameters.ts"
import { Block, OpenBlock, TransactionRecord } from "./Record.ts"

const KeptAccount = Schema.Struct({
  address: AddressText,
  lamports: Schema.BigIntFromString,
  owner: AddressText,
  executable: Schema.Boolean,
  data: Schema.Uint8ArrayFromBase64
})

const State = Schema.Struct({
  version: Schema.Literal(1),
  genesisHash: Schema.String,
  clockOffset: Schema.Int,
  open: OpenBlock,
  blocks: Schema.Array(Block),
  transactions: Schema.Array(TransactionRecord),
  accounts: Schema.Array(KeptAccount)
})

const encodeRecord = Schema.encodeSync(TransactionRecord)

/** A transaction never changes, so each is encoded once. */
const encoded = new WeakMap<TransactionRecord, string>()
const recordText = (record: TransactionRecord): string => {
  const known = encoded.get(record) ?? JSON.stringify(encodeRecord(record))
  encoded.set(record, known)
  return known
}

const accountText = (key: string, account: Account | undefined): ReadonlyArray<string> =>
  account === undefined ? [] : [JSON.stringify({
    address: key,
    lamports: account.lamports.toString(),
    owner: account.owner,
    executable: account.executable,
    data: Buffer.from(account.data).toString("base64")
  })]

export const write = (path: string, chain: Chain): Effect.Effect<void, LocalnetError> =>
  Effect.suspend(() => {
    const { blocks, open, transactions } = chain.ledger.contents
    const small = JSON.stringify({
      version: 1,
      genesisHash: chain.genesisHash,
      clockOffset: chain.clockOffset,
      open,
      blocks
    })
    const accounts = chain.bank.touched().flatMap(([key, account]) => accountText(key, account))
    return AtomicFile.write(
      path,
      `${small.slice(0, -1)},\n"transactions":[${transactions.map(recordText).join(",\n")}],\n"accounts":[${
        accounts.join(",\n")
      }]}\n`
    )
  })

/** The file's content. Undefined when there is no file. Errors: damaged. */
export const read = (path: string): Effect.Effect<Kept | undefined, LocalnetError> =>
  Effect.map(
    AtomicFile.readJson(path, State),
    Option.match({
      onNone: () => undefined,
      onSome: ({ accounts, blocks, clockOffset, genesisHash, open, transactions }) => ({
        genesisHash,
        contents: { open, blocks, transactions },
        clockOffset,
        accounts: accounts.map((account) =>
          [address(account.address), {
            lamports: account.lamports,
            owner: address(account.owner),
            executable: account.executable,
            data: account.data
          }] as const
        )
      })
    })
  )
