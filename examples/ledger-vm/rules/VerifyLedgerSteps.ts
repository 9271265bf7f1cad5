/**
 * What a client of the ledger checks before it signs: the one step is exactly the transfer that pays for the order,
 * built here from what the client knows. Pass it to `verifyQuote` together with the verifiers of the six families.
 */
import { check, checkEqual, type DepositExpectation, type StepVerifier, unchecked } from "causeway-kit"
import { family } from "./LedgerAddresses.ts"

const allowed = ({ amount, orderId, request }: DepositExpectation, recipient: string, fee: bigint) => ({
  ledger: request.origin.genesisHash ?? "",
  sender: request.user,
  recipient,
  currency: request.originCurrency.address,
  amount: `${amount}`,
  fee: `${fee}`,
  memo: orderId
})

/** `fee`: the ledger's fee for a transfer, as the client knows it. */
export const ledgerSteps = (fee: bigint): StepVerifier => ({
  steps: (steps, expected) => [
    checkEqual("steps", steps.map(({ id }) => id).join(), "deposit"),
    ...steps.flatMap((step) => {
      if (step.kind !== "transaction" || step.id !== "deposit") {
        return [unchecked(`step ${step.id}`, "a ledger's deposit needs no other step than the transfer")]
      }
      return [
        check("deposit items", step.items.length === 1, `${step.items.length}`),
        ...step.items.flatMap(({ data }) => {
          if (!("vmType" in data) || data.vmType !== family) {
            return [check("transfer", false, "no transfer of a ledger")]
          }
          const transfer = allowed(expected, expected.request.origin.depository, fee)
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
