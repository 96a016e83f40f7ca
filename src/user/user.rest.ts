import { GetMeDocument } from "../generated/operations.js";
import { route } from "../http/route.js";

export const userRoutes = [
  route({
    number: 29,
    method: "get",
    path: "/user",
    summary: "Read the calling user",
    operation: GetMeDocument,
    input: {},
    variables: {},
    response: { envelope: "data", from: ["me"] },
  }),
];
