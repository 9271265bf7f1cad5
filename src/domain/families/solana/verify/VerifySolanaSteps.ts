/**
 * Checks the one step of a Solana origin against its order. The instructions that the wallet is asked to sign must be
 * exactly those that pay the order's amount into the vault of the depository that the client knows and name the order,
 * or that pay its recipient, or a deposit address. For a swap, only what limits the user's loss is checked
 * (`VerifySolanaSwap`).
 *
 * SECURITY: an allowlist. Every account and byte of it is built here from the client's own configuration, and compared
 * with what the service sent. Only the chain knows which of the two token programs a mint belongs to, and whether an
 * account is open. With the wrong answer the transaction fails and moves nothing.
 */
import * as Result from "effect/Result"
import { depositInstruction } from "./ExpectedDeposit.ts"
import { solanaAddresses } from "../SolanaAddresses.ts"
import { DEPOSIT_COMPUTE_UNITS } from "../SolanaCosts.ts"
import { depositoryOf, programs, vaultOf } from "../evidence/Programs.ts"
import { isSend } from "../../../quote/Send.ts"
import { isUserSwap } from "../../../quote/UserSwap.ts"
import type { Step } from "../../../quote/wire/Step.ts"
import type { TransactionData } from "../../TransactionData.ts"
import { check, checkEqual, unchecked } from "../../../quote/verify/Check.ts"
import type { Check } from "../../../quote/verify/Check.ts"
import {
  lamportTransfer,
  little,
  memoOf,
  opening,
  referenceIn,
  tokenPrograms,
  tokenTransfer,
  verifyExactly,
  withoutLimit
} from "./SolanaParts.ts"
import type { Instruction, Instructions, SolanaPayment } from "./SolanaParts.ts"
import { verifySolanaSwap } from "./VerifySolanaSwap.ts"
import type { SolanaSwap } from "./VerifySolanaSwap.ts"

/** SetComputeUnitLimit. No allowed instruction sets a price. */
const unitLimit: Instruction = {
  programId: programs.computeBudget,
  keys: [],
  data: `02${little(BigInt(DEPOSIT_COMPUTE_UNITS), 4)}`
}

const allowedDeposits = (expected: SolanaPayment): ReadonlyArray<Instructions> => {
  const { computeUnitLimit, depositFeePayer, origin, originCurrency } = expected.request
  const limit = computeUnitLimit ? [unitLimit] : []
  if (originCurrency.isNative) {
    return [[...limit, depositInstruction({ ...expected, currency: originCurrency }, "none")]]
  }
  return tokenPrograms.flatMap((program): ReadonlyArray<Instructions> => {
    const deposit = depositInstruction({ ...expected, currency: originCurrency }, program)
    const open = [...limit, deposit]
    // With a separate fee payer. A user's own deposit opens the vault's account by itself.
    return depositFeePayer === undefined
      ? [open]
      : [open, [
        ...limit,
        opening(depositFeePayer, vaultOf(origin.depository), originCurrency.address, program),
        deposit
      ]]
  })
}

/**
 * A direct payment to the recipient: a memo with the order's id, the reference, the payment. It opens the recipient's
 * account if there is none.
 */
const allowedSends = ({ amount, orderId, request }: SolanaPayment): ReadonlyArray<Instructions> => {
  const { origin, originCurrency, recipient, user } = request
  const [memo, reference] = [memoOf(orderId), referenceIn(origin)]
  if (originCurrency.isNative) return [[memo, lamportTransfer(user, recipient, amount, reference)]]
  const found = lamportTransfer(user, user, 0n, reference)
  return tokenPrograms.flatMap((program): ReadonlyArray<Instructions> => {
    const paid = [tokenTransfer(user, recipient, amount, request, program), found]
    return [[memo, ...paid], [memo, opening(user, recipient, originCurrency.address, program), ...paid]]
  })
}

/** A plain transfer. The only other instruction opens the address's token account. */
const allowedTransfers = ({ amount, request }: SolanaPayment, address: string): ReadonlyArray<Instructions> => {
  const { depositFeePayer, originCurrency, user } = request
  if (originCurrency.isNative) return [[lamportTransfer(user, address, amount)]]
  return tokenPrograms.map((
    program
  ) => [
    opening(depositFeePayer ?? user, address, originCurrency.address, program),
    tokenTransfer(user, address, amount, request, program)
  ])
}

/**
 * True for a known address that cannot be a deposit address. Payments to it would be burnt, or belong to somebody else.
 */
const isTaken = (address: string, { request: { destination, origin, recipient, user } }: SolanaPayment): boolean =>
  [
    user,
    recipient,
    origin.depository,
    depositoryOf(origin.depository),
    vaultOf(origin.depository),
    ...Object.values(programs),
    ...[origin, destination].flatMap(({ currencies }) => currencies.map((each) => each.address))
  ]
    .some((each) => String(each) === address)

/** Only the service knows whose address it is. */
const verifyAddress = (
  { depositAddress: address = "none" }: Step,
  data: TransactionData,
  expected: SolanaPayment
): ReadonlyArray<Check> => [
  check(
    "deposit address is one",
    Result.isSuccess(solanaAddresses.parse(address)) && !isTaken(address, expected),
    address
  ),
  ...verifyExactly(
    "deposit 0",
    data,
    expected.request,
    allowedTransfers(expected, address),
    (all) => withoutLimit(all, expected.request)
  ),
  unchecked("deposit address", "nobody but the service can derive this chain's: compare it with GET /deposit-addresses")
]

type Judge = (step: Step, data: TransactionData) => ReadonlyArray<Check>

/** The id of the step, and the check of its one transaction. */
const judgeOf = (expected: SolanaSwap): readonly [id: "deposit" | "send" | "swap", judge: Judge] => {
  const { request } = expected
  if (request.depositAddress !== undefined) return ["deposit", (step, data) => verifyAddress(step, data, expected)]
  if (isSend(request)) {
    return [
      "send",
      (_, data) => verifyExactly("send 0", data, request, allowedSends(expected), (all) => withoutLimit(all, request))
    ]
  }
  if (isUserSwap(request)) return ["swap", (_, data) => verifySolanaSwap("swap 0", data, expected)]
  return ["deposit", (_, data) => verifyExactly("deposit 0", data, request, allowedDeposits(expected))]
}

/** Checks all steps of a Solana origin: there must be one, with one transaction. */
export const verifySolanaSteps = (steps: ReadonlyArray<Step>, expected: SolanaSwap): ReadonlyArray<Check> => {
  const [id, judge] = judgeOf(expected)
  return [
    checkEqual(`${id} steps`, steps.length, 1),
    check(
      "no deposit address",
      expected.request.depositAddress !== undefined || steps.every((step) => step.depositAddress === undefined),
      "not asked for"
    ),
    ...steps.flatMap((step) =>
      step.kind === "transaction" && step.id === id
        ? [
          check(`${id} items`, step.items.length === 1, `${step.items.length}`),
          ...step.items.flatMap(({ data }) => judge(step, data))
        ]
        : [unchecked(`step ${step.id}`, `a ${id} on Solana needs no other step`)]
    )
  ]
}
