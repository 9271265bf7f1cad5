/**
 * Checks a swap before the deposit on Solana:
 * - besides one call of the swap depositor it only opens associated accounts
 * - that call deposits at least the order's amount for this order, into the vault of the depository that the client
 * knows, by a swap program that the client knows
 * - the swap's own bytes take no more than the request allows, from the user's account
 *
 * SECURITY: not checked is what the swap program does with the other accounts that it may write to. So it is never `ok`
 * by itself. The signer must simulate it.
 */
import { check, checkEqual, unchecked } from "../../../quote/verify/Check.ts"
import type { Check } from "../../../quote/verify/Check.ts"
import { verifyAmountIn } from "../../../quote/verify/StepVerifier.ts"
import type { SwapDepositExpectation, SwapDepositVerifier } from "../../../quote/verify/StepVerifier.ts"
import type { Step } from "../../../quote/wire/Step.ts"
import type { SolanaTransactionData } from "../SolanaTransactionData.ts"
import { dataBytes, openingOf } from "../../../swap/RouteInstructions.ts"
import { limitsOf } from "../../../swap/SwapTail.ts"
import type { SwapLimits } from "../../../swap/SwapTail.ts"
import { tokenAccountOf, vaultOf } from "../evidence/Programs.ts"
import { swapDepositOf } from "../evidence/SwapDepositor.ts"
import { depositInstruction } from "./ExpectedDeposit.ts"
import { reads, textOf, tokenPrograms, verifySigners, withoutLimit } from "./SolanaParts.ts"
import type { Instruction } from "./SolanaParts.ts"

/** The accounts of a deposit, and the two programs that are called. Those of the swap follow. */
const OF_DEPOSIT = 10
const OF_SWAP = OF_DEPOSIT + 2

const callOf = (instruction: Instruction) => swapDepositOf(dataBytes(instruction))

const limitsIn = (instruction: Instruction): SwapLimits | undefined => {
  const call = callOf(instruction)
  return call === undefined ? undefined : limitsOf(call.swap)
}

/** Opens an account of the user's, or the vault's of the deposited token; paid by whoever pays the fee. */
const isOpening = (
  instruction: Instruction,
  { deposit, request: { depositFeePayer, origin, user } }: SwapDepositExpectation
): boolean => {
  const opening = openingOf(instruction)
  return opening !== undefined && opening.payer === (depositFeePayer ?? user) &&
    (opening.owner === user || (opening.owner === vaultOf(origin.depository) && opening.mint === deposit.currency))
}

/** The accounts of the deposit in the call, in either token program: only the chain knows which one the mint is of. */
const isDeposited = (call: Instruction, { deposit, orderId, request }: SwapDepositExpectation): boolean => {
  const currency = request.origin.currencies.find(({ address }) => address === deposit.currency)
  const wanted = (keys: Instruction["keys"]) => textOf([{ programId: "", keys, data: "" }])
  return currency !== undefined && tokenPrograms.some((program) => {
    const { keys } = depositInstruction({ request, orderId, amount: deposit.amount, currency }, program)
    return wanted(call.keys.slice(0, OF_DEPOSIT + 1)) === wanted([...keys, reads(request.origin.depository)])
  })
}

const verifyCall = (name: string, call: Instruction, expected: SwapDepositExpectation): ReadonlyArray<Check> => {
  const { deposit, orderId, request: { origin, originCurrency, tradeType, user } } = expected
  const [said, limits] = [callOf(call), limitsIn(call)]
  const program = call.keys[OF_DEPOSIT + 1]?.pubkey
  const written = call.keys.slice(OF_SWAP).filter(({ isWritable }) => isWritable).map(({ pubkey }) => pubkey)
  const own = tokenPrograms.flatMap((token) => tokenAccountOf(user, originCurrency.address, token) ?? [])
  return [
    checkEqual(`${name} names the order`, said?.id, orderId),
    checkEqual(`${name} minimum`, said?.minimum, deposit.amount),
    check(`${name} accounts`, isDeposited(call, expected), textOf([call])),
    check(
      `${name} router`,
      origin.swaps?.sources.some(({ router }) => String(router) === program) === true,
      program ?? "none"
    ),
    checkEqual(`${name} exact side`, limits?.exact, tradeType === "EXACT_OUTPUT" ? "out" : "in"),
    ...verifyAmountIn(name, limits?.most ?? 0n, expected),
    check(`${name} from the user's account`, own.some((key) => written.includes(key)), "among what it writes to"),
    unchecked(`${name} swap`, "what the swap program does with its other accounts is the chain's to say: simulate it")
  ]
}

const verifyTransaction = (
  name: string,
  data: SolanaTransactionData,
  expected: SwapDepositExpectation
): ReadonlyArray<Check> => {
  const all = withoutLimit(data.instructions, expected.request) ?? []
  const calls = all.filter(({ programId }) => programId === String(expected.depositor))
  const others = all.filter((each) => !calls.includes(each))
  return [
    ...verifySigners(name, data, expected.request),
    check(`${name} instructions`, others.every((each) => isOpening(each, expected)), textOf(others)),
    checkEqual(`${name} calls`, calls.length, 1),
    ...calls.flatMap((call) => verifyCall(name, call, expected))
  ]
}

const verifyStep = (step: Step, expected: SwapDepositExpectation): ReadonlyArray<Check> =>
  step.kind === "transaction" && step.id === "deposit"
    ? [
      check("deposit items", step.items.length === 1, `${step.items.length}`),
      ...step.items.flatMap(({ data }, index) =>
        "instructions" in data
          ? verifyTransaction(`deposit ${index}`, data, expected)
          : [check(`deposit ${index}`, false, "no Solana transaction")]
      )
    ]
    : [unchecked(`step ${step.id}`, "a swap before the deposit on Solana needs no other step")]

export const solanaSwapDeposits: SwapDepositVerifier = {
  amountOf: (steps) =>
    steps.flatMap((step) =>
      step.kind === "transaction" && step.id === "deposit"
        ? step.items.flatMap(({ data }) => "instructions" in data ? data.instructions : [])
        : []
    ).flatMap((instruction) => limitsIn(instruction)?.most ?? [])[0] ?? 0n,
  steps: (steps, expected) => steps.flatMap((step) => verifyStep(step, expected))
}
