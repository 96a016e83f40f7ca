/** The HAProxy to check its configuration with. */
export const haproxyPath = process.env.HAPROXY_PATH ?? "/usr/sbin/haproxy";

/** The program that checks systemd units. */
export const systemdAnalyzePath = process.env.SYSTEMD_ANALYZE_PATH ?? "/usr/bin/systemd-analyze";
