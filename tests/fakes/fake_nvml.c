/* A libnvidia-ml.so.1 without a GPU: real nvidia-ml-py talks to it, so that everything above the driver is the real thing.

   FAKE_NVML_STATE names a file of "key=value" lines, read anew at every call, so a test can change the driver's mind while
   a program runs. A value "!18" makes the question fail with that nvmlReturn_t; a missing key of a device is "!3" (Not
   Supported). FAKE_NVML_CALLS names a file that gets the name of every function called: "was the driver asked at all?".

   Keys: init, driver, cuda (13000), count, hang_ms (a memory question takes that long), and per device "gpu0.": handle, name,
   uuid, bus, memory (total,used,free,reserved), memory_v1 (total,used,free: a driver without version 2), compute and graphics
   ("pid:bytes,pid:bytes", "none" for an empty list), utilisation, power, power_limit, temperature, gen, width, max_gen,
   max_width, card_gen, capability (8.9), mig (0 or 1), mig_count; slices are "gpu0.mig0." with handle, uuid, name, memory.

   Built with: cc -shared -fPIC -o libnvidia-ml.so.1 fake_nvml.c */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OK = 0, NOT_SUPPORTED = 3, NOT_FOUND = 6, INSUFFICIENT_SIZE = 7, FUNCTION_NOT_FOUND = 13 };

static void called(const char *function) {
    const char *path = getenv("FAKE_NVML_CALLS");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (file) {
        fprintf(file, "%s\n", function);
        fclose(file);
    }
}

/* The value of `key` in `out`; 0 when it is not there. */
static int find(const char *key, char *out, size_t size) {
    const char *path = getenv("FAKE_NVML_STATE");
    FILE *file = path ? fopen(path, "r") : NULL;
    char line[1024];
    size_t length = strlen(key);
    int found = 0;
    while (file && !found && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = 0;
        if (!strncmp(line, key, length) && line[length] == '=') {
            snprintf(out, size, "%s", line + length + 1);
            found = 1;
        }
    }
    if (file) fclose(file);
    return found;
}

/* The value for a device (1 + index, or 100 * (1 + index) + 1 + slice), or the error to give back. */
static int ask(void *handle, const char *name, char *out, size_t size) {
    uintptr_t device = (uintptr_t)handle;
    char key[128];
    if (device < 100) snprintf(key, sizeof key, "gpu%d.%s", (int)device - 1, name);
    else snprintf(key, sizeof key, "gpu%d.mig%d.%s", (int)(device / 100) - 1, (int)(device % 100) - 1, name);
    if (!find(key, out, size)) return NOT_SUPPORTED;
    return out[0] == '!' ? atoi(out + 1) : OK;
}

static int number(void *handle, const char *name, unsigned *out) {
    char value[64];
    int error = ask(handle, name, value, sizeof value);
    if (!error) *out = (unsigned)strtoul(value, NULL, 10);
    return error;
}

static int text(void *handle, const char *name, char *out, unsigned size) {
    char value[256];
    int error = ask(handle, name, value, sizeof value);
    if (!error) snprintf(out, size, "%s", value);
    return error;
}

int nvmlInitWithFlags(unsigned flags) {
    char value[64];
    (void)flags;
    called("nvmlInitWithFlags");
    return find("init", value, sizeof value) && value[0] == '!' ? atoi(value + 1) : OK;
}

int nvmlInit_v2(void) { return nvmlInitWithFlags(0); }

int nvmlShutdown(void) {
    called("nvmlShutdown");
    return OK;
}

const char *nvmlErrorString(int code) {
    switch (code) {
        case 15: return "GPU is lost";
        case 18: return "Driver/library version mismatch";
        case 999: return "Unknown Error";
        default: return "Some Error";
    }
}

int nvmlSystemGetDriverVersion(char *out, unsigned size) {
    called("nvmlSystemGetDriverVersion");
    return find("driver", out, size) ? OK : NOT_SUPPORTED;
}

int nvmlSystemGetCudaDriverVersion_v2(int *out) {
    char value[64];
    called("nvmlSystemGetCudaDriverVersion_v2");
    if (!find("cuda", value, sizeof value)) return NOT_SUPPORTED;
    *out = atoi(value);
    return OK;
}

int nvmlDeviceGetCount_v2(unsigned *out) {
    char value[64];
    called("nvmlDeviceGetCount_v2");
    if (!find("count", value, sizeof value)) value[0] = '0', value[1] = 0;
    if (value[0] == '!') return atoi(value + 1);
    *out = (unsigned)atoi(value);
    return OK;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **out) {
    char value[64];
    called("nvmlDeviceGetHandleByIndex_v2");
    *out = (void *)(uintptr_t)(index + 1);
    int error = ask(*out, "handle", value, sizeof value);
    return error == NOT_SUPPORTED ? OK : error;
}

int nvmlDeviceGetName(void *device, char *out, unsigned size) {
    called("nvmlDeviceGetName");
    return text(device, "name", out, size);
}

int nvmlDeviceGetUUID(void *device, char *out, unsigned size) {
    called("nvmlDeviceGetUUID");
    return text(device, "uuid", out, size);
}

struct pci { char legacy[16]; unsigned domain, bus, device, id, subsystem; char bus_id[32]; };

int nvmlDeviceGetPciInfo_v3(void *device, struct pci *out) {
    called("nvmlDeviceGetPciInfo_v3");
    memset(out, 0, sizeof *out);
    return text(device, "bus", out->bus_id, sizeof out->bus_id);
}

struct memory { unsigned long long total, free, used; };
struct memory_v2 { unsigned version; unsigned long long total, reserved, free, used; };

static int memory(void *device, const char *name, struct memory_v2 *out) {
    char value[256], slow[64];
    if (find("hang_ms", slow, sizeof slow)) usleep((unsigned)atoi(slow) * 1000);
    int error = ask(device, name, value, sizeof value);
    if (error) return error;
    out->reserved = 0;
    sscanf(value, "%llu,%llu,%llu,%llu", &out->total, &out->used, &out->free, &out->reserved);
    return OK;
}

int nvmlDeviceGetMemoryInfo_v2(void *device, struct memory_v2 *out) {
    char value[256];
    called("nvmlDeviceGetMemoryInfo_v2");
    if (ask(device, "memory_v1", value, sizeof value) != NOT_SUPPORTED) return FUNCTION_NOT_FOUND;
    return memory(device, "memory", out);
}

int nvmlDeviceGetMemoryInfo(void *device, struct memory *out) {
    struct memory_v2 figures;
    called("nvmlDeviceGetMemoryInfo");
    int error = memory(device, "memory_v1", &figures);
    if (error) return error;
    out->total = figures.total, out->used = figures.used, out->free = figures.free;
    return OK;
}

struct process { unsigned pid; unsigned long long used; unsigned instance, compute_instance; };

static int processes(void *device, const char *name, unsigned *count, struct process *out) {
    char value[1024];
    unsigned found = 0, room = *count;
    int error = ask(device, name, value, sizeof value);
    if (error) return error;
    if (!strcmp(value, "none")) value[0] = 0;
    for (char *part = strtok(value, ","); part; part = strtok(NULL, ",")) {
        struct process one = {0, 0, 0xffffffff, 0xffffffff};
        sscanf(part, "%u:%llu", &one.pid, &one.used);
        if (out && found < room) out[found] = one;
        found++;
    }
    *count = found;
    return found > room || (!out && found) ? INSUFFICIENT_SIZE : OK;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, struct process *out) {
    called("nvmlDeviceGetComputeRunningProcesses_v3");
    return processes(device, "compute", count, out);
}

int nvmlDeviceGetGraphicsRunningProcesses_v3(void *device, unsigned *count, struct process *out) {
    called("nvmlDeviceGetGraphicsRunningProcesses_v3");
    return processes(device, "graphics", count, out);
}

int nvmlDeviceGetUtilizationRates(void *device, unsigned out[2]) {
    called("nvmlDeviceGetUtilizationRates");
    out[1] = 0;
    return number(device, "utilisation", out);
}

int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *out) {
    (void)sensor;
    called("nvmlDeviceGetTemperature");
    return number(device, "temperature", out);
}

#define NUMBER(function, name)               \
    int function(void *device, unsigned *out) { \
        called(#function);                      \
        return number(device, name, out);       \
    }

NUMBER(nvmlDeviceGetPowerUsage, "power")
NUMBER(nvmlDeviceGetEnforcedPowerLimit, "power_limit")
NUMBER(nvmlDeviceGetCurrPcieLinkGeneration, "gen")
NUMBER(nvmlDeviceGetCurrPcieLinkWidth, "width")
NUMBER(nvmlDeviceGetMaxPcieLinkGeneration, "max_gen")
NUMBER(nvmlDeviceGetMaxPcieLinkWidth, "max_width")
NUMBER(nvmlDeviceGetGpuMaxPcieLinkGeneration, "card_gen")
NUMBER(nvmlDeviceGetMaxMigDeviceCount, "mig_count")

int nvmlDeviceGetCudaComputeCapability(void *device, int *major, int *minor) {
    char value[64];
    called("nvmlDeviceGetCudaComputeCapability");
    int error = ask(device, "capability", value, sizeof value);
    if (!error) sscanf(value, "%d.%d", major, minor);
    return error;
}

int nvmlDeviceGetMigMode(void *device, unsigned *current, unsigned *pending) {
    called("nvmlDeviceGetMigMode");
    int error = number(device, "mig", current);
    *pending = *current;
    return error;
}

int nvmlDeviceGetMigDeviceHandleByIndex(void *device, unsigned index, void **out) {
    char value[64];
    called("nvmlDeviceGetMigDeviceHandleByIndex");
    *out = (void *)((uintptr_t)device * 100 + index + 1);
    return ask(*out, "uuid", value, sizeof value) == NOT_SUPPORTED ? NOT_FOUND : OK;
}
