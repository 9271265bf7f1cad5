/**
 * A transfer of the ledger: what its sender signs, its id, and whose signature it bears.
 *
 * The sender's sequence number is in the signed text, and each is used once: the same transfer sent twice is carried
 * out once. The id is of the text alone, so a second signature of the same transfer is the same transfer.
 */
import {
  accountOfKey,
  Address,
  CurrencyAddress,
  Hex,
  type Hex32,
  hexToBytes,
  protocolAccounts,
  recoverDigest,
  signDigest,
  textDigest
} from "causeway-kit"
import { Result, Schema } from "effect"
import { ledgerAddresses } from "../rules/LedgerAddresses.ts"

const Units = Schema.BigIntFromString.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 2n ** 128n - 1n }))

export const Transfer = Schema.Struct({
  /** The hash of the ledger's first block: a transfer counts on one ledger. */
  ledger: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/)),
  sender: Address,
  sequence: Units,
  recipient: Address,
  currency: CurrencyAddress,
  /** Smallest units of the currency. */
  amount: Units,
  /** The most that the ledger may take for it, smallest units of its own currency. */
  fee: Units,
  /** One line for people or for services. An order's id, and nothing else, names the order. */
  memo: Schema.String.check(Schema.isMaxLength(128), Schema.isPattern(/^[ -~]*$/))
})
export type Transfer = typeof Transfer.Type

export const SignedTransfer = Schema.Struct({ transfer: Transfer, signature: Hex })
export type SignedTransfer = typeof SignedTransfer.Type

/** What the sender signs. */
export const digestOf = (transfer: Transfer): Hex32 =>
  textDigest([
    "ledger transfer",
    `ledger: ${transfer.ledger}`,
    `sender: ${transfer.sender}`,
    `sequence: ${transfer.sequence}`,
    `recipient: ${transfer.recipient}`,
    `currency: ${transfer.currency}`,
    `amount: ${transfer.amount}`,
    `fee: ${transfer.fee}`,
    `memo: ${transfer.memo}`
  ].join("\n"))

/** 64 hex digits. */
export const transferId = (transfer: Transfer): string => digestOf(transfer).slice(2)

/** The same 20 bytes as the key's account on EVM chains, in the ledger's spelling. */
export const inLedgerSpelling = (account: string): Address =>
  Result.getOrThrow(Result.flatMap(protocolAccounts.toBytes(account), ledgerAddresses.fromBytes))

/** The account of a secp256k1 key. Throws for what is no key. */
export const accountOf = (key: Hex32): Address => inLedgerSpelling(Result.getOrThrow(accountOfKey(key)))

/** Throws for what is no key. */
export const signTransfer = (transfer: Transfer, key: Hex32): SignedTransfer => ({
  transfer,
  signature: Result.getOrThrow(signDigest(hexToBytes(digestOf(transfer)), key))
})

export const isSignedBySender = ({ signature, transfer }: SignedTransfer): boolean => {
  const signer = recoverDigest(hexToBytes(digestOf(transfer)), signature)
  return Result.isSuccess(signer) && inLedgerSpelling(signer.success) === transfer.sender
}
