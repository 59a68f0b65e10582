# slurm.sh - a real Slurm on the hosts of scripts/virtual-cluster; read after tap.sh, in a COMMAND of --run
#
# One node of Slurm is one virtual host. Everything that the daemons write is in $scratch, and nothing is read
# from /etc: munge has a key and a socket of its own. All processes are in the namespaces of the cluster, so the
# kernel ends them together with it.

# wait_idle: returns when all nodes are idle, or fails after two minutes. A job that finds idle nodes starts at once.
# One that comes while another job ends waits for Slurm to look at the queue again, which may take a minute.
wait_idle() {
    for _ in $(seq 1200); do
        # --states=idle would also count nodes where the end of a job is not complete.
        [ "$(sinfo --noheader --Node --format=%t 2>/dev/null | grep -cx idle)" -ne "$nodes" ] || return 0
        sleep 0.1
    done
    return 1
}

# start_slurm TASK_PROLOG: starts the daemons, and returns when all nodes are ready. On failure it shows their
# logs. TASK_PROLOG is the script that Slurm runs before each task.
start_slurm() {
    mkdir "$scratch/slurm" "$scratch/slurm/state"
    head -c 128 /dev/urandom >"$scratch/slurm/key"
    chmod 600 "$scratch/slurm/key"
    # munge wants directories that everybody can search. Root's own folder is right here, so --force.
    munged --force --key-file="$scratch/slurm/key" --socket="$scratch/slurm/munge" \
        --pid-file="$scratch/slurm/munged.pid" --log-file="$scratch/slurm/munged.log" \
        --seed-file="$scratch/slurm/seed" 2>/dev/null || return

    SLURM_CONF=$scratch/slurm/slurm.conf
    export SLURM_CONF
    cat >"$SLURM_CONF" <<END
ClusterName=virtual
SlurmctldHost=$(hostname)(10.77.0.254)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$scratch/slurm/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
TaskProlog=$1
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
StateSaveLocation=$scratch/slurm/state
SlurmdSpoolDir=$scratch/slurm/%n
TmpFS=$scratch/slurm/%n.tmp
SlurmctldPidFile=$scratch/slurm/slurmctld.pid
SlurmdPidFile=$scratch/slurm/%n.pid
SlurmctldLogFile=$scratch/slurm/slurmctld.log
SlurmdLogFile=$scratch/slurm/%n.log
MailProg=/bin/true
END
    echo CgroupPlugin=cgroup/v1 >"$scratch/slurm/cgroup.conf"
    nodes=0
    for host in $(echo "$VIRTUAL_HOSTS" | tr , ' '); do
        nodes=$((nodes + 1))
        mkdir "$scratch/slurm/host$nodes" "$scratch/slurm/host$nodes.tmp"
        echo "NodeName=host$nodes NodeAddr=${host%:*} CPUs=${host#*:}" >>"$SLURM_CONF"
    done
    echo "PartitionName=all Nodes=ALL Default=YES" >>"$SLURM_CONF"

    slurmctld && for host in $(echo "$VIRTUAL_HOSTS" | tr , ' '); do
        /dev/shm/enter -x "${host%:*}" "SLURM_CONF='$SLURM_CONF' slurmd" || return
    done
    ! wait_idle || return 0
    sinfo --long
    tail -n 20 "$scratch"/slurm/*.log
    return 1
}
