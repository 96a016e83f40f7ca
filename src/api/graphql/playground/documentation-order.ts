import type { IntrospectionQuery, IntrospectionType } from "graphql";

/**
 * The subjects of the API in the documentation's order, with their names. The first that fits in `precedence` decides.
 */
const subjects = {
  workspace: /workspace/i,
  facility: /facilit|heartbeat|coordinates/i,
  camera: /camera|stream|calibration|analysis|status|datacollection/i,
  rule: /alertrule|rulearea|apinotification/i,
  alert: /alert|marks|localdays|localtimes|relativedays|countaggregate/i,
  delivery: /deliver/i,
  user: /user|facilityaccess|invit|session|sign(?:in|out)|view|phonenumber|^me$|my|seen/i,
  key: /apikey/i,
  audit: /audit|actor/i,
};
type Subject = keyof typeof subjects;

/** The subjects from the particular to the general: an alert rule is no alert. */
const precedence: Subject[] = [
  "audit",
  "key",
  "user",
  "delivery",
  "rule",
  "alert",
  "camera",
  "facility",
  "workspace",
];
const order = Object.keys(subjects);

/** The rank of a name's subject. What belongs to none comes last. */
function rankOf(name: string): number {
  const subject = precedence.find((each) => subjects[each].test(name));
  return subject === undefined ? order.length : order.indexOf(subject);
}

interface Named {
  name: string;
}

const byName = (one: Named, other: Named) => (one.name < other.name ? -1 : 1);
const bySubject = (one: Named, other: Named) => rankOf(one.name) - rankOf(other.name) || byName(one, other);

/** The schema with types and operations by subject and name. The fields of all other types are by name. */
export function inDocumentationOrder({ __schema }: IntrospectionQuery): IntrospectionQuery {
  const { queryType, mutationType, subscriptionType } = __schema;
  const roots = [queryType, mutationType, subscriptionType].map((type) => type?.name);
  const ordered = (type: IntrospectionType): IntrospectionType => {
    if (type.kind === "INPUT_OBJECT") return { ...type, inputFields: type.inputFields.toSorted(byName) };
    if (type.kind !== "OBJECT" && type.kind !== "INTERFACE") return type;
    return { ...type, fields: type.fields.toSorted(roots.includes(type.name) ? bySubject : byName) };
  };
  return { __schema: { ...__schema, types: __schema.types.toSorted(bySubject).map(ordered) } };
}
