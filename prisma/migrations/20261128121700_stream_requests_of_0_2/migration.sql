-- Version 0.2 looked by it for what is due next.
DROP INDEX "StreamRequest_nextDeliveryAt_idx";
