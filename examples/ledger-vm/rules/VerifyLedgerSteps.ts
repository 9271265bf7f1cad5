/**
 * What a client of the ledger checks before it signs: the one step is exactly the transfer that pays for the order,
 * built here from what the client knows. Pass it to `verifyQuote` together with the verifiers of the six families.
 */
import { check, checkEqual, type DepositExpectation, type QuoteCheck, type StepVerifier, unchecked } from "causeway-kit"
import { Result } from "effect"
import { family, ledgerAddresses } from "./LedgerAddresses.ts"

/** `address`: the deposit address that the step shows, where the request asks for one. */
const allowed = ({ amount, orderId, request }: DepositExpectation, address: string | undefined, fee: bigint) => ({
  ledger: request.origin.genesisHash ?? "",
  sender: request.user,
  recipient: address ?? request.origin.depository,
  currency: request.originCurrency.address,
  amount: `${amount}`,
  fee: `${fee}`,
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

/** `fee`: the ledger's fee for a transfer, as the client knows it. */
export const ledgerSteps = (fee: bigint): StepVerifier => ({
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
          const transfer = allowed(expected, step.depositAddress, fee)
          const names = [...new Set([...Object.keys(transfer), ...Object.keys(data.transaction)])]
          return names.map((name) =>
            checkEqual(`transfer ${name}`, data.transaction[name], new Map(Object.entries(transfer)).get(name))
          )
        })
      ]
    })
  ],
  costs: () => [fee]
})
