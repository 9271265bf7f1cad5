/**
 * What a client of the ledger checks before it signs (`FamilyRules.stepVerifier`): the one step is exactly the transfer
 * that pays for the order, built here from what the client knows. Its fee is what the quote shows as the wallet's cost.
 */
import {
  check,
  checkEqual,
  type DepositExpectation,
  type FamilyRules,
  type Quote,
  type QuoteCheck,
  unchecked
} from "causeway-kit"
import { Result } from "effect"
import { family, ledgerAddresses } from "./LedgerAddresses.ts"

/** `address`: the deposit address that the step shows, where the request asks for one. */
const allowed = ({ amount, orderId, request }: DepositExpectation, address: string | undefined) => ({
  ledger: request.origin.genesisHash ?? "",
  sender: request.user,
  recipient: address ?? request.origin.depository,
  currency: request.originCurrency.address,
  amount: `${amount}`,
  memo: address === undefined ? orderId : ""
})

/** Only the service knows whose address it is. Of a known account it is known that it is none. */
const checkAddress = (address: string | undefined, { request }: DepositExpectation): ReadonlyArray<QuoteCheck> =>
  request.depositAddress === undefined
    ? [check("no deposit address", address === undefined, "not asked for")]
    : [
      check(
        "deposit address is one",
        Result.isSuccess(ledgerAddresses.parse(address ?? "")) &&
          ![request.user, request.recipient, request.origin.depository].some((each) => String(each) === address),
        `${address}`
      ),
      unchecked("deposit address", "nobody but the service can derive it: compare it with GET /deposit-addresses")
    ]

type Steps = Quote["steps"]

/** The fees of the transfers that the steps ask for. A fee that is no number is none, so no shown cost equals it. */
const feesOf = (steps: Steps): ReadonlyArray<bigint> =>
  steps.flatMap((step) => step.kind === "transaction" ? step.items : []).flatMap(({ data }) => {
    const fee = "vmType" in data ? data.transaction["fee"] : undefined
    return typeof fee === "string" && /^\d{1,39}$/.test(fee) ? [BigInt(fee)] : []
  })

export const ledgerSteps: NonNullable<FamilyRules["stepVerifier"]> = {
  steps: (steps, expected) => [
    checkEqual("steps", steps.map(({ id }) => id).join(), "deposit"),
    ...steps.flatMap((step) => {
      if (step.kind !== "transaction" || step.id !== "deposit") {
        return [unchecked(`step ${step.id}`, "a ledger's deposit needs no other step than the transfer")]
      }
      return [
        ...checkAddress(step.depositAddress, expected),
        check("deposit items", step.items.length === 1, `${step.items.length}`),
        ...step.items.flatMap(({ data }) => {
          if (!("vmType" in data) || data.vmType !== family) {
            return [check("transfer", false, "no transfer of a ledger")]
          }
          const transfer = allowed(expected, step.depositAddress)
          const names = [...new Set([...Object.keys(transfer), ...Object.keys(data.transaction)])].filter((name) =>
            name !== "fee"
          )
          return [
            check("transfer fee", feesOf([step]).length === 1, JSON.stringify(data.transaction["fee"])),
            ...names.map((name) =>
              checkEqual(`transfer ${name}`, data.transaction[name], new Map(Object.entries(transfer)).get(name))
            )
          ]
        })
      ]
    })
  ],
  costs: ({ steps }) => feesOf(steps)
}
