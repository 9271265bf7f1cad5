/**
 * A signed form of a payment as the store keeps it: its transaction, what its coins hold, every transaction of ours
 * that it needs and that was in no block when it was signed, and what those spent that were in blocks, not finally.
 *
 * With these it can be broadcast any number of times (a node that has forgotten a parent gets it again, first),
 * replaced, and proven dead. The bytes alone tell neither what the coins hold nor what the parents spend.
 */
import { hexToBytes } from "@noble/hashes/utils.js"
import type { KeyPlace } from "../../../deposit-address/HardenedKeys.ts"
import { hexDigits } from "../../../encoding/HexDigits.ts"
import { readBtcTransaction } from "../evidence/BtcTransaction.ts"
import type { BtcTransaction } from "../evidence/BtcTransaction.ts"
import { sameBytes } from "../evidence/SpentCoins.ts"
import type { Coin } from "../spending/FundOutputs.ts"
import { virtualBytesOf, weightOf } from "../spending/TransactionSize.ts"
import type { SpendingInputs } from "./DeadPayment.ts"

/** A transaction that spends P2WPKH coins of one account, and of a deposit address that it sweeps. */
export interface PaymentForm extends BtcTransaction {
  readonly bytes: Uint8Array
  /** What its coins hold, in the order of the inputs. Satoshi. */
  readonly amounts: ReadonlyArray<bigint>
  /** Where the key of each coin is derived, in the same order; undefined for the account's own. All are when absent. */
  readonly keys?: ReadonlyArray<KeyPlace | undefined>
}

/** Its coins, as they were before it spent them. */
export const coinsIn = ({ amounts, inputs, keys }: PaymentForm): ReadonlyArray<Coin> =>
  inputs.map((coin, at) => ({ ...coin, amount: amounts[at] ?? 0n, key: keys?.[at] }))

/** A form of a payment, with the unconfirmed payments whose change it spends. */
export interface StoredForm {
  readonly form: PaymentForm
  /** Each after those that it needs. */
  readonly ancestors: ReadonlyArray<PaymentForm>
  /**
   * What it needs of transactions that were in blocks when it was signed, and not final: a reorg may take them back, and
   * then only what they spend shows that it is dead. Absent when there are none.
   */
  readonly makers?: ReadonlyArray<SpendingInputs> | undefined
}

const sum = (amounts: ReadonlyArray<bigint>): bigint => amounts.reduce((total, amount) => total + amount, 0n)

/** Satoshi. */
export const feeIn = ({ amounts, outputs }: Pick<PaymentForm, "amounts" | "outputs">): bigint =>
  sum(amounts) - sum(outputs.map(({ amount }) => amount))

/** Satoshi that the account pays for it: of its fee, what the coins of a deposit address do not (BITCOIN-12). */
export const costOf = (form: Pick<PaymentForm, "amounts" | "keys" | "outputs">): bigint => {
  const swept = form.amounts.filter((_, at) => form.keys?.[at] !== undefined)
  return feeIn(form) - (swept.length === 0 ? 0n : sum(swept) - (form.outputs[0]?.amount ?? 0n))
}

/** The outputs that are the payment: the recipient, and the note that names the order. The others are change. */
export const PAID = 2

/** Whether a transaction is another form of the same payment: it pays the same, and differs in its change alone. */
export const isFormOf = (
  other: Pick<BtcTransaction, "outputs">,
  { outputs }: Pick<BtcTransaction, "outputs">
): boolean =>
  outputs.length >= PAID && outputs.slice(0, PAID).every(({ amount, script }, at) => {
    const same = other.outputs[at]
    return same !== undefined && same.amount === amount && sameBytes(same.script, script)
  })

/** As it was taken for when its fee was chosen: with the longest signatures. */
export const virtualBytesIn = ({ inputs, outputs }: Pick<PaymentForm, "inputs" | "outputs">): number =>
  virtualBytesOf(weightOf(inputs.map(() => "P2WPKH"), outputs.map(({ script }) => script)))

/** The fees and sizes of several transactions, together. */
export const packageOf = (
  forms: ReadonlyArray<PaymentForm>
): { readonly fee: bigint; readonly virtualBytes: number } => ({
  fee: sum(forms.map(feeIn)),
  virtualBytes: forms.reduce((total, form) => total + virtualBytesIn(form), 0)
})

const writeCoin = ({ amount, key }: Pick<Coin, "amount" | "key">): string =>
  key === undefined ? `${amount}` : `${amount}@${key.generation}/${key.number}`

const writeForm = (form: PaymentForm): string => `${hexDigits(form.bytes)}:${coinsIn(form).map(writeCoin).join(",")}`

const writeMaker = ({ id, inputs }: SpendingInputs): string =>
  `${id}<${inputs.map(({ index, transactionId }) => `${transactionId}:${index}`).join(",")}`

/** The text that the store keeps: the form first, then its ancestors and makers. */
export const writeStoredForm = ({ ancestors, form, makers = [] }: StoredForm): string =>
  [...[form, ...ancestors].map(writeForm), ...makers.map(writeMaker)].join(".")

const PART = /^((?:[0-9a-f]{2})+):([0-9@/,]+)$/
const MAKER = /^([0-9a-f]{64})<([0-9a-f:,]+)$/
const SPENT = /^([0-9a-f]{64}):([0-9]{1,10})$/
const COIN = /^([0-9]{1,16})(?:@([0-9]{1,10})\/([0-9]{1,10}))?$/

const readCoin = (text: string): Pick<Coin, "amount" | "key"> | undefined => {
  const [, amount, generation, number] = COIN.exec(text) ?? []
  if (amount === undefined) return undefined
  return generation === undefined || number === undefined
    ? { amount: BigInt(amount) }
    : { amount: BigInt(amount), key: { generation: Number(generation), number: Number(number) } }
}

const readForm = (text: string): PaymentForm | undefined => {
  const [, hex, held = ""] = PART.exec(text) ?? []
  if (hex === undefined) return undefined
  const bytes = hexToBytes(hex)
  const transaction = readBtcTransaction(bytes)
  const coins = held.split(",").flatMap((coin) => readCoin(coin) ?? [])
  if (transaction === undefined || transaction.inputs.length !== coins.length) return undefined
  const keys = coins.map(({ key }) => key)
  return {
    ...transaction,
    bytes,
    amounts: coins.map(({ amount }) => amount),
    ...(keys.every((key) => key === undefined) ? {} : { keys })
  }
}

const readMaker = (text: string): SpendingInputs | undefined => {
  const [, id, spent = ""] = MAKER.exec(text) ?? []
  const coins = spent.split(",")
  const inputs = coins.flatMap((coin) => {
    const [, transactionId, index] = SPENT.exec(coin) ?? []
    return transactionId === undefined ? [] : [{ transactionId, index: Number(index) }]
  })
  return id === undefined || inputs.length < coins.length ? undefined : { id, inputs }
}

/** Undefined for a text that `writeStoredForm` does not write. */
export const readStoredForm = (text: string): StoredForm | undefined => {
  const parts = text.split(".")
  const from = parts.findIndex((part) => part.includes("<"))
  const [form, ...ancestors] = parts.slice(0, from < 0 ? undefined : from).map(readForm)
  const makers = from < 0 ? [] : parts.slice(from).map(readMaker)
  const [knownAncestors, knownMakers] = [ancestors.flatMap((each) => each ?? []), makers.flatMap((each) => each ?? [])]
  return form === undefined || knownAncestors.length < ancestors.length || knownMakers.length < makers.length
    ? undefined
    : { form, ancestors: knownAncestors, ...(makers.length === 0 ? {} : { makers: knownMakers }) }
}
