/* target.c -- see target.h. */
#include "driver/target/target.h"

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

static char *pattern_new(void)
{
    struct rng rng;
    char *pattern = xmalloc(TARGET_PATTERN_BYTES);
    rng_seed(&rng, 1, 0);
    for (size_t i = 0; i < TARGET_PATTERN_BYTES; i += 8) {
        uint64_t word = rng_next(&rng);
        memcpy(pattern + i, &word, 8);
    }
    return pattern;
}

static void thread_init(struct target_thread *thread, struct target *target, size_t index)
{
    thread->target = target;
    thread->index = index;
    thread->date_s = -1;
    thread->scratch = xmalloc(TARGET_SCRATCH_BYTES);
    thread->log = (struct strbuf)STRBUF_INIT(TARGET_LOG_BYTES);
    verifier_init(&thread->verifier, &target->policy);
    target_thread_tick(thread);
}

int target_init(struct target *target, const struct options *options, struct err *err)
{
    memset(target, 0, sizeof(*target));
    target->options = options;
    target->log_fd = -1;
    if (options->request_log) {
        target->log_fd =
            open(options->request_log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
        if (target->log_fd < 0)
            return err_errno(err, "cannot open the request log %s", options->request_log);
    }
    target->policy = (struct verify_policy){
        .users = options->users.items,
        .user_count = options->users.len,
        .anonymous = options->anonymous,
        .region = options->region_given ? slice_of(options->region) : (struct slice){NULL, 0},
    };
    target->store = store_new(options->null_mode, options->max_memory);
    target->uploads = uploads_new(target->store);
    faults_init(&target->faults, &options->faults);
    if (options->null_mode)
        target->pattern = pattern_new();
    if (getrandom(&target->instance, sizeof(target->instance), 0) < 0)
        target->instance = (uint32_t)getpid();
    target->started_ns = clock_mono_ns();
    pthread_mutex_init(&target->stats_lock, NULL);
    target->thread_count = (size_t)options->threads;
    target->threads = aligned_alloc(64, target->thread_count * sizeof(*target->threads));
    if (!target->threads)
        abort();
    memset(target->threads, 0, target->thread_count * sizeof(*target->threads));
    for (size_t i = 0; i < target->thread_count; i++)
        thread_init(&target->threads[i], target, i);
    return 0;
}

void target_release(struct target *target)
{
    for (size_t i = 0; i < target->thread_count; i++) {
        struct target_thread *thread = &target->threads[i];
        target_thread_flush_log(thread);
        verifier_release(&thread->verifier);
        strbuf_release(&thread->log);
        free(thread->scratch);
    }
    free(target->threads);
    if (target->store) {
        uploads_free(target->uploads);
        store_free(target->store);
        faults_release(&target->faults);
        pthread_mutex_destroy(&target->stats_lock);
    }
    free(target->pattern);
    if (target->log_fd >= 0)
        close(target->log_fd);
    memset(target, 0, sizeof(*target));
    target->log_fd = -1;
}

void target_thread_tick(struct target_thread *thread)
{
    struct faults *faults = &thread->target->faults;
    thread->now_ns = clock_mono_ns();
    thread->wall_ms = clock_wall_ns() / MS;
    int64_t second = thread->wall_ms / 1000;
    if (second != thread->date_s) {
        thread->date_s = second;
        time_format_http(second, thread->date);
    }
    unsigned generation = atomic_load_explicit(&faults->generation, memory_order_acquire);
    if (generation != thread->fault_generation) {
        thread->fault_generation = generation;
        thread->faults = faults_read(faults);
        rng_seed(&thread->rng, thread->faults.seed, thread->index);
    }
}

void target_thread_flush_log(struct target_thread *thread)
{
    size_t done = 0;
    while (done < thread->log.len) {
        ssize_t n = write(thread->target->log_fd, thread->log.buf + done, thread->log.len - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            log_error("cannot write the request log: %s", strerror(errno));
            break;
        }
        done += (size_t)n;
    }
    strbuf_reset(&thread->log);
}
