/** Faults of a local node that suites of several families set, and what a lie is made of. */
import type { NodeFault } from "../../localnet/nodes/NodeFault.ts"

/** A node that changes its answer to this method. */
export const lying = (method: string, tell: (result: unknown) => unknown): NodeFault => ({
  kind: "lie",
  methods: [method],
  tell
})

export const dead = { kind: "status", status: 503 } as const

/** A node's answer with some members changed. */
export const changed = (of: unknown, changes: object): object =>
  typeof of === "object" && of !== null ? { ...of, ...changes } : changes

/** A member of a node's answer. */
export const member = (of: unknown, name: string): unknown =>
  typeof of === "object" && of !== null && name in of ? Object.getOwnPropertyDescriptor(of, name)?.value : undefined
