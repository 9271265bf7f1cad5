/**
 * Checks the one step of a Bitcoin origin against its order: the PSBT pays the depository that the client knows, names
 * the order, returns the rest to the user, and pays a bounded fee (BITCOIN-5). The same for a direct payment and for a deposit
 * address.
 *
 * SECURITY: an allowlist. Only coins and fee are taken from the service; the PSBT is built again from them, and every
 * byte is compared. Which coins exist only the chain knows: with a wrong one, or a wrong amount of a segwit coin, the
 * signature is invalid and nothing moves. (A service that shows two wrong amounts in two PSBTs could have both valid
 * signatures of one transaction with a higher fee; BIP-341 ends that for taproot. Sign once.)
 */
import { hexToBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import { hexDigits } from "../../../encoding/HexDigits.ts"
import { isSend } from "../../../quote/Send.ts"
import { check, checkEqual, unchecked } from "../../../quote/verify/Check.ts"
import type { Check } from "../../../quote/verify/Check.ts"
import type { DepositExpectation, StepVerifier } from "../../../quote/verify/StepVerifier.ts"
import type { Step } from "../../../quote/wire/Step.ts"
import type { TransactionData } from "../../TransactionData.ts"
import { scriptOfAddress } from "../BitcoinScript.ts"
import { readPsbt, writePsbt } from "../Psbt.ts"
import type { Psbt } from "../Psbt.ts"
import { dustOf } from "../spending/Dust.ts"
import { feeOf, LEAST_FEE_RATE, MOST_FEE_RATE } from "../spending/FeeRate.ts"
import { virtualBytesOf, weightOf } from "../spending/TransactionSize.ts"
import { paymentOutputs } from "../steps/PaymentOutputs.ts"
import type { UserPayment } from "../steps/PaymentOutputs.ts"
import { spendingIn } from "../steps/ReadCoins.ts"
import type { ReadSpending } from "../steps/ReadCoins.ts"
import { unsignedPsbt } from "../steps/UnsignedPsbt.ts"

type Expected = Pick<DepositExpectation, "amount" | "orderId" | "request">

const scriptIn = (address: string, { request: { origin } }: Expected): Uint8Array | undefined => {
  const script = scriptOfAddress(address, origin.network)
  return Result.isSuccess(script) ? script.success : undefined
}

const psbtIn = (data: TransactionData): Psbt | undefined =>
  "psbt" in data && /^(?:[0-9a-f]{2})+$/.test(data.psbt) ? readPsbt(hexToBytes(data.psbt)) : undefined

const sum = (amounts: ReadonlyArray<{ readonly amount: bigint }>): bigint =>
  amounts.reduce((total, { amount }) => total + amount, 0n)

const feeIn = ({ coins }: ReadSpending, { transaction }: Psbt): bigint => sum(coins) - sum(transaction.outputs)

/** What pays that fee at the lowest and the highest rate. The highest also leaves change that would be dust. */
const verifyFee = (psbt: Psbt, spending: ReadSpending, change: Uint8Array): Check => {
  const kinds = spending.coins.map(() => spending.owner._tag)
  const scripts = psbt.transaction.outputs.map(({ script }) => script)
  const bytes = (all: ReadonlyArray<Uint8Array>) => virtualBytesOf(weightOf(kinds, all))
  const fee = feeIn(spending, psbt)
  const most = feeOf(MOST_FEE_RATE, bytes([...scripts, change])) + dustOf(change)
  return check("deposit 0 fee", fee >= feeOf(LEAST_FEE_RATE, bytes(scripts)) && fee <= most, `${fee} satoshi`)
}

const verifyPsbt = (psbt: Psbt, user: Uint8Array, payment: UserPayment): ReadonlyArray<Check> => {
  const spending = spendingIn(psbt, user)
  if (spending === undefined) return [check("deposit 0 coins", false, "not all shown to be the user's, each once")]
  const outputs = paymentOutputs(payment)
  const [change, ...others] = psbt.transaction.outputs.slice(outputs.length)
  const returned = change === undefined ? [] : [{ script: user, amount: change.amount }]
  const expected = unsignedPsbt(spending.coins, [...outputs, ...returned], spending.owner)
  return [
    check("deposit 0 coins", true, `${spending.coins.length}`),
    checkEqual("deposit 0 psbt", hexDigits(writePsbt(psbt)), hexDigits(writePsbt(expected))),
    check(
      "deposit 0 change",
      others.length === 0 && (change === undefined || change.amount >= dustOf(user)),
      `${change?.amount ?? 0n} satoshi`
    ),
    verifyFee(psbt, spending, user)
  ]
}

const verifyData = (data: TransactionData, payee: string, named: boolean, expected: Expected): ReadonlyArray<Check> => {
  const { amount, orderId, request } = expected
  const psbt = psbtIn(data)
  const [user, script] = [scriptIn(request.user, expected), scriptIn(payee, expected)]
  return psbt === undefined || user === undefined || script === undefined
    ? [check("deposit 0 psbt", false, "no PSBT of version 0 in hex, or no address to pay")]
    : verifyPsbt(psbt, user, { payee: script, amount, orderId: named ? orderId : undefined })
}

/** A known address that cannot be a deposit address. */
const isTaken = (address: string, { request: { origin, recipient, user } }: Expected): boolean =>
  [user, recipient, origin.depository].some((each) => String(each) === address)

/** At a deposit address that the user's own coins do not pay: there is nothing to sign. */
const isNobodys = (data: TransactionData): boolean => "psbt" in data && data.psbt === ""

/** Only the service knows whose address it is. */
const verifyAddress = (
  { depositAddress = "none" }: Step,
  data: TransactionData,
  expected: Expected
): ReadonlyArray<Check> => [
  check("deposit address is one", !isTaken(depositAddress, expected), depositAddress),
  ...(isNobodys(data)
    ? [check("deposit 0 psbt", scriptIn(depositAddress, expected) !== undefined, "none: whoever has the coins pays")]
    : verifyData(data, depositAddress, false, expected)),
  unchecked("deposit address", "nobody but the service can derive this chain's: compare it with GET /deposit-addresses")
]

const verifyStep = (step: Step, data: TransactionData, expected: Expected): ReadonlyArray<Check> => {
  const { depositAddress, origin, recipient } = expected.request
  if (depositAddress !== undefined) return verifyAddress(step, data, expected)
  return [
    check("no deposit address", step.depositAddress === undefined, "not asked for"),
    ...verifyData(data, isSend(expected.request) ? recipient : origin.depository, true, expected)
  ]
}

/** Checks all steps of a Bitcoin origin: there must be one, with one PSBT. */
export const verifyBitcoinSteps = (steps: ReadonlyArray<Step>, expected: Expected): ReadonlyArray<Check> => {
  const id = isSend(expected.request) ? "send" : "deposit"
  return [
    checkEqual(`${id} steps`, steps.length, 1),
    ...steps.flatMap((step) =>
      step.kind === "transaction" && step.id === id
        ? [
          check(`${id} items`, step.items.length === 1, `${step.items.length}`),
          ...step.items.flatMap(({ data }) => verifyStep(step, data, expected))
        ]
        : [unchecked(`step ${step.id}`, `a ${id} on Bitcoin needs no other step`)]
    )
  ]
}

/**
 * The fee of the transaction: what the quote shows as gas. None for what is not a PSBT of the user's coins, and zero
 * where the user signs nothing.
 */
const feeCosts: StepVerifier["costs"] = ({ steps }, { origin, user }) => {
  const script = scriptOfAddress(user, origin.network)
  if (Result.isFailure(script)) return []
  return steps.flatMap((step) => step.kind === "transaction" ? step.items : []).flatMap(({ data }) => {
    if (isNobodys(data)) return [0n]
    const psbt = psbtIn(data)
    const spending = psbt === undefined ? undefined : spendingIn(psbt, script.success)
    return psbt === undefined || spending === undefined ? [] : [feeIn(spending, psbt)]
  })
}

/** The verifier of steps on Bitcoin, for `verifyQuote`. */
export const bitcoinSteps: StepVerifier = { steps: verifyBitcoinSteps, costs: feeCosts }
