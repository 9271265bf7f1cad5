/**
 * The five components of a transfer's cost (PRICE-3 to PRICE-7), and how requests and answers spell them.
 *
 * "The service" of the contract is `service` here and, on the wire, whatever SERVICE_COMPONENT_NAME says (WIRE-6). Not
 * for what a component costs: that is in `quote/pricing`.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { QuoteRefused } from "../quote/QuoteError.ts"

/** A part of the fees that a sponsor can pay. */
export const Component = Schema.Literals(["execution", "swap", "service", "app", "rent"])
export type Component = typeof Component.Type

/** All of them, in the order in which answers list them. */
export const components: ReadonlyArray<Component> = Component.literals

/** One value for each component. */
export type ByComponent<A> = { readonly [C in Component]: A }

/** A value for each component. */
export const byComponent = <A>(value: (component: Component) => A): ByComponent<A> => ({
  execution: value("execution"),
  swap: value("swap"),
  service: value("service"),
  app: value("app"),
  rent: value("rent")
})

/** The sum over the components. */
export const sumOver = (value: (component: Component) => bigint): bigint =>
  components.reduce((sum, component) => sum + value(component), 0n)

/** Each component once, in the order of answers. */
export const inOrder = (some: ReadonlyArray<Component>): ReadonlyArray<Component> =>
  components.filter((component) => some.includes(component))

const serviceSpellings: ReadonlyArray<string> = ["service", "the service", "relay"]

/** True when a name may be used for the service component: not empty, and not another component's name. */
export const isServiceName = (name: string): boolean =>
  name !== "" && components.every((component) => component === "service" || component !== name)

/** The spelling of a component in an answer; `serviceName` is the configured one. */
export const componentName = (component: Component, serviceName: string): string =>
  component === "service" ? serviceName : component

/** A component in any accepted spelling; anything else is INVALID_REQUEST. */
export const parseComponent = (text: string, serviceName: string): Result.Result<Component, QuoteRefused> => {
  const found = components.find((component) => component === text)
  if (found !== undefined) return Result.succeed(found)
  return text === serviceName || serviceSpellings.includes(text)
    ? Result.succeed("service")
    : Result.fail(
      new QuoteRefused({
        code: "INVALID_REQUEST",
        field: "sponsoredFeeComponents",
        message: `sponsoredFeeComponents may hold ${
          components.map((component) => componentName(component, serviceName)).join(", ")
        }`
      })
    )
}
